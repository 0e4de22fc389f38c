/** Makes the browser save a text as a file. The page does not keep the text. */
export function saveText(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = file;
  link.click();
  // By this time, the browser has started to read the file, so the URL can be revoked.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
