/** Hand a file to the browser's downloads. */

/** @param {string} name @param {any} data bytes or text @param {string} type */
export function download(name, data, type) {
  const link = document.createElement("a");
  const address = URL.createObjectURL(new Blob([data], { type }));
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000); // the download may start later
}

/** Let the person choose a file. @param {string} accept @returns {Promise<File | null>} */
export function choose(accept) {
  return new Promise((resolve) => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = accept;
    input.addEventListener("change", () => resolve(input.files?.[0] ?? null));
    input.addEventListener("cancel", () => resolve(null));
    input.click();
  });
}

/** @param {Uint8Array} bytes */
export function toBase64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) {
    text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  }
  return btoa(text);
}
