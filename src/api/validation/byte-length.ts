const encoder = new TextEncoder();

/** Kubernetes counts lengths in bytes of UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}
