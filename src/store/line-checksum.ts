import { crc32 } from 'node:zlib';

const form = /,"crc":"([0-9a-f]{8})"\}$/;
/** The length of the checksum member with its comma. */
const memberLength = ',"crc":"00000000"'.length;

/** Adds a checksum as the last member of a JSON object, so a reader of a backup can find the damaged line. */
export function withLineChecksum(json: string): string {
  const text = json.slice(0, -1);
  return `${text},"crc":"${digitsOf(text)}"}`;
}

/** True if the checksum of a line matches, false if it does not; `undefined` if the line has no checksum. */
export function lineChecksumHolds(line: string): boolean | undefined {
  const match = form.exec(line.slice(-memberLength - 1));
  return match === null ? undefined : digitsOf(line.slice(0, -memberLength - 1)) === match[1];
}

function digitsOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
