"""Terms that only published protocols use; what each measures, in one line."""

from __future__ import annotations

from collections.abc import Mapping

PUBLISHED_TERMS: Mapping[str, str] = {
    "cad_coder_geometry": "chamfer in the unit cube through the piecewise credit of CAD-Coder",
    "normal_auc": "area under the distribution of angles between normals, reference to part",
    "surface_f1_normals": "F1 of surface points within 0.5 % of the diagonal and 20 degrees",
    "shape_mean": "mean of that F1 and the IoU",
    "shape_over_start": "the same, 0 for the unedited start and 1 for the reference",
    "topology_product": "bodies, handles and voids: smaller over larger count, squared, multiplied",
    "iou_tolerant_1mm": "overlap of solid voxels of 1 mm, one voxel of tolerance",
    "chamfer_gated": "1 minus the chamfer over the diagonal, times the F1 of the samples",
    "f1_samples": "F1 of the samples within 3 % of the diagonal",
    "voxel_iou_64": "IoU of filled voxels, 64 to the largest extent of each shape",
}
