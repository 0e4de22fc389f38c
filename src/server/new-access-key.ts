/** For `flotilla access-key rotate`: the value that a key gets next is made where its form is known. */
export { generateAccessKey } from '../auth/access-key-format.ts';
