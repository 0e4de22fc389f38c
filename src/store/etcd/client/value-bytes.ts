import { sealedHeaderLength, sealedMarker } from '../../sealed-text.ts';

/*
 * The bytes of a value in etcd. An encrypted value is text with base64, which would need a third more than its bytes. In
 * etcd its marker is the byte 0xFF, which UTF-8 never contains, and the base64 is decoded.
 */

const markerByte = 0xff;
/**
 * The highest index of the marker in a value. The marker is the first character, or the second character if the first
 * is the number of the write.
 */
const lastMarkerIndex = 1;

/** Returns the bytes of a value that contains encrypted text; `undefined` if the value is stored as UTF-8. */
export function sealedBytes(value: string): Buffer | undefined {
  const marker = value.slice(0, lastMarkerIndex + 1).lastIndexOf(sealedMarker);
  if (marker === -1) return undefined;
  const base64 = marker + sealedMarker.length + sealedHeaderLength;
  const body = Buffer.from(value.slice(base64), 'base64');
  const bytes = Buffer.concat([Buffer.from(value.slice(0, base64), 'latin1'), body]);
  bytes[marker] = markerByte;
  // Checks that the bytes decode to the value, because a value that only looks encrypted must not change.
  return sealedText(bytes) === value ? bytes : undefined;
}

/** Returns the text of bytes that `sealedBytes` has returned; `undefined` for bytes of other values. */
export function sealedText(bytes: Buffer): string | undefined {
  const marker = bytes.subarray(0, lastMarkerIndex + 1).indexOf(markerByte);
  if (marker === -1) return undefined;
  const base64 = marker + sealedMarker.length + sealedHeaderLength;
  const before = bytes.toString('latin1', 0, marker);
  const header = bytes.toString('latin1', marker + 1, base64);
  return before + sealedMarker + header + bytes.toString('base64', base64);
}
