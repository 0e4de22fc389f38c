import { StatusError } from '../../api/status.ts';

/** Ignores a 404: the object was deleted concurrently, so nothing is left to do. */
export async function ignoreNotFound(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
