"""GLSL of the moderngl backend: surfaces with their data, lines, and the final mix.

Surfaces go to three targets in one pass: shaded colour, data (triangle, depth), from which face ids
and normals follow exactly, and the slope of the depth. Lines are
screen-space quads, so their width is the same on every driver, and their coverage is kept in the
alpha channel by MAX blending: the joints of a polyline never show. A fragment of a line is drawn
where the line's own depth lies on (or before) the surface seen there, extrapolated from the
neighbouring texels with their slopes. Polygon offset, the usual way, either hides half of a line
on steep faces or lets hidden lines shine through thin walls.
"""

from __future__ import annotations

from cadwright.tools.rendering.look import LOOK, Colour, unit


def _vec3(values: Colour) -> str:
    return "vec3({:.6f}, {:.6f}, {:.6f})".format(*values)


_LIGHT_TERMS = " + ".join(
    f"{light.strength:.6f} * max(dot(n, {_vec3(unit(light.direction))}), 0.0)"
    for light in LOOK.lights
)

STEP = 4.0  # tolerances between a silhouette and what lies behind it; facets make smaller steps
TAG_ROW = 2048  # triangles per row of the tag texture, as in the shader's shift and mask
SURFACE_VERTEX = """
#version 330
uniform mat4 to_clip;
uniform mat3 to_view;
in vec3 position;
in vec3 normal;
out vec3 view_normal;
void main() {
    gl_Position = to_clip * vec4(position, 1.0);
    view_normal = to_view * normal;
}
"""

SURFACE_FRAGMENT = f"""
#version 330
#define TAGGED 0
uniform sampler2D tags;  // per triangle: 0 body, 1 highlight, 2 cap, in rows of TAG_ROW
in vec3 view_normal;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec2 data;  // triangle, depth
layout(location = 2) out vec2 slope;  // of the depth, per pixel
vec3 paint(vec3 body) {{
#if TAGGED
    ivec2 place = ivec2(gl_PrimitiveID & 2047, gl_PrimitiveID >> 11);
    int tag = int(texelFetch(tags, place, 0).r * 255.0 + 0.5);
    if (tag == 1) return {_vec3(LOOK.highlight)};
    if (tag == 2) {{
        float place = mod(gl_FragCoord.x + gl_FragCoord.y, {LOOK.hatch_px:.3f});
        float stripe = clamp(abs(place - {LOOK.hatch_px / 2:.3f}) - 0.2, 0.0, 1.0);
        return mix({_vec3(LOOK.hatch)}, {_vec3(LOOK.cap)}, stripe);
    }}
#endif
    return body;
}}
void main() {{
    vec3 n = normalize(view_normal);
    vec3 body = gl_FrontFacing ? {_vec3(LOOK.body)} : {_vec3(LOOK.inside)};
    n = gl_FrontFacing ? n : -n;
    float light = {LOOK.ambient:.6f} + {_LIGHT_TERMS};
    light *= 1.0 - {LOOK.depth_fade:.6f} * gl_FragCoord.z;
    colour = vec4(min(paint(body) * light, 1.0), 0.0);
    float z = gl_FragCoord.z;
    data = vec2(float(gl_PrimitiveID), z);
    slope = vec2(dFdx(z), dFdy(z));
}}
"""

TAGGED_FRAGMENT = SURFACE_FRAGMENT.replace("#define TAGGED 0", "#define TAGGED 1")

LINE_VERTEX = """
#version 330
uniform mat4 to_clip;
uniform vec4 viewport;  // x, y, width, height in pixels of the target
uniform float reach;    // half the quad's width in pixels
in vec3 start;
in vec3 end;
flat out vec3 a;
flat out vec3 b;
vec3 to_window(vec3 p) {
    vec4 c = to_clip * vec4(p, 1.0);
    return vec3(viewport.xy + (c.xy * 0.5 + 0.5) * viewport.zw, c.z * 0.5 + 0.5);
}
void main() {
    a = to_window(start);
    b = to_window(end);
    vec2 along = b.xy - a.xy;
    along = length(along) > 1e-4 ? normalize(along) : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    vec2 base = (gl_VertexID & 1) == 0 ? a.xy - along * reach : b.xy + along * reach;
    vec2 p = base + across * ((gl_VertexID & 2) == 0 ? -reach : reach);
    gl_Position = vec4((p - viewport.xy) / viewport.zw * 2.0 - 1.0, 0.0, 1.0);
}
"""

LINE_FRAGMENT = (
    f"#version 330\n#define STEP {STEP:.1f}\n"
    + """
uniform sampler2D data;
uniform sampler2D slopes;
uniform vec4 viewport;
uniform float half_width;
uniform float tolerance;  // window depth
uniform bool is_contour;  // a silhouette of a curved surface, not an edge of the part
flat in vec3 a;
flat in vec3 b;
layout(location = 0) out vec4 colour;
struct Surface { float here, there, slope; };  // depth of the plane at p, at the texel; per pixel
Surface surface_at(vec2 p, vec2 aside) {
    vec2 low = viewport.xy, high = low + viewport.zw - 1.0;
    vec2 texel = clamp(floor(p + aside), low, high);
    float there = texelFetch(data, ivec2(texel), 0).g;
    vec2 slope = texelFetch(slopes, ivec2(texel), 0).rg;
    return Surface(there + dot(slope, p - texel - 0.5), there, length(slope));
}
bool lies_on(Surface s, vec3 p) {
    return s.there < 1.0 && abs(s.here - p.z) < tolerance + 0.25 * s.slope;
}
bool covers(Surface s, vec3 p) {
    return s.there < 1.0 && s.here < p.z - tolerance - 2.5 * s.slope;
}
bool is_beyond(Surface s, vec3 p) {
    float step = p.z + STEP * tolerance;
    return s.there > step && (s.there == 1.0 || s.here > step);
}
bool is_visible(vec3 p, vec2 across) {
    Surface home = surface_at(p.xy, vec2(0.0));
    Surface one = surface_at(p.xy, across), two = surface_at(p.xy, -across);
    if (is_contour) return is_beyond(one, p) || is_beyond(two, p);  // no step, no silhouette
    if (lies_on(home, p) || lies_on(one, p) || lies_on(two, p)) return true;
    if (home.there < 1.0) return p.z < home.there + tolerance;
    return !covers(one, p) && !covers(two, p);  // edges run a little outside the facets
}
void main() {
    vec2 along = b.xy - a.xy;
    float t = clamp(dot(gl_FragCoord.xy - a.xy, along) / max(dot(along, along), 1e-12), 0.0, 1.0);
    vec3 p = mix(a, b, t);
    float coverage = clamp(half_width + 0.5 - distance(gl_FragCoord.xy, p.xy), 0.0, 1.0);
    vec2 across = vec2(-along.y, along.x) / max(length(along), 1e-6);
    if (coverage <= 0.0 || p.z < 0.0 || p.z > 1.0 || !is_visible(p, across)) discard;
    colour = vec4(0.0, 0.0, 0.0, coverage);
}
"""
)

MIX_VERTEX = """
#version 330
void main() {
    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}
"""

MIX_FRAGMENT = f"""
#version 330
layout(location = 0) out vec4 colour;
void main() {{ colour = vec4({_vec3(LOOK.line)}, 0.0); }}
"""
