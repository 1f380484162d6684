/** 3MF: a zip of XML, stored without compression and without dates, so equal parts are equal files. */

const TYPES = `<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>`;
const RELATIONS = `<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/3dmodel.model" Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>`;
const DOS_EPOCH = 0x21; // 1 January 1980: the zip format must have a date

/**
 * @param {Array<{name: string, points: number[][], triangles: number[][]}>} meshes
 * @returns {Uint8Array}
 */
export function writeThreeMf(meshes) {
  return zip([
    ["[Content_Types].xml", TYPES],
    ["_rels/.rels", RELATIONS],
    ["3D/3dmodel.model", model(meshes)],
  ]);
}

function model(meshes) {
  const objects = meshes.map(({ name, points, triangles }, k) => {
    const vertices = points.map(([x, y, z]) => `<vertex x="${x}" y="${y}" z="${z}"/>`).join("");
    const faces = triangles
      .map(([a, b, c]) => `<triangle v1="${a}" v2="${b}" v3="${c}"/>`)
      .join("");
    return `<object id="${k + 1}" type="model" name="${escape(name)}"><mesh><vertices>${vertices}</vertices><triangles>${faces}</triangles></mesh></object>`;
  });
  const items = meshes.map((_, k) => `<item objectid="${k + 1}"/>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>${objects.join("")}</resources><build>${items.join("")}</build></model>`;
}

function escape(text) {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** @param {Array<[string, string]>} entries name and text */
function zip(entries) {
  const encoder = new TextEncoder();
  const chunks = [];
  const directory = [];
  let offset = 0;
  for (const [name, text] of entries) {
    const [path, data] = [encoder.encode(name), encoder.encode(text)];
    const shared = [20, 0, 0, 0, DOS_EPOCH];
    const sizes = [crc32(data), data.length, data.length];
    const head = record(0x04034b50, shared, sizes, [path.length, 0]);
    chunks.push(head, path, data);
    directory.push(
      record(0x02014b50, [20, ...shared], sizes, [path.length, 0, 0, 0, 0], [0, offset]),
      path,
    );
    offset += head.length + path.length + data.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const count = entries.length;
  const end = record(0x06054b50, [0, 0, count, count], [size, offset], [0]);
  return joined([...chunks, ...directory, end]);
}

/** A zip record: a signature, then groups of 16 and 32 bit numbers in turn. */
function record(signature, ...groups) {
  const bytes = [];
  const push = (value, width) => {
    for (let k = 0; k < width; k += 1) bytes.push((value >>> (8 * k)) & 255);
  };
  push(signature, 4);
  groups.forEach((group, k) => group.forEach((value) => push(value, k % 2 === 0 ? 2 : 4)));
  return Uint8Array.from(bytes);
}

function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; k += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
