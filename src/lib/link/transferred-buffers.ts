/**
 * Byte arrays shorter than this are copied to the other thread. Copying a short array takes no longer than transferring
 * it, and a transfer also needs a separate block of memory.
 */
const minTransferLength = 16 * 1024;

const transferred = new WeakMap<object, readonly ArrayBuffer[]>();

/**
 * Moves the memory of `bytes` to the other thread when `value`, which contains `bytes`, is sent over a link. This
 * thread must not use `bytes` afterwards. Short arrays, and arrays that share their memory with other arrays, are
 * copied instead. Returns `value`.
 */
export function withTransfer<Value extends object>(value: Value, bytes: unknown): Value {
  if (!(bytes instanceof Uint8Array) || bytes.length < minTransferLength) return value;
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length) transferred.set(value, [buffer]);
  return value;
}

/** Returns the buffers that move to the other thread together with a value; `undefined` if there are none. */
export function buffersToTransfer(value: unknown): readonly ArrayBuffer[] | undefined {
  return typeof value === 'object' && value !== null ? transferred.get(value) : undefined;
}
