/** Re-exported for `flotilla access-key rotate`, which generates the new value of a key. */
export { generateAccessKey } from '../../auth/access-key-format.ts';
