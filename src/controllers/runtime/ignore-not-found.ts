import { StatusError } from '../../api/status.ts';

/** Awaits a request and ignores a 404 response: the object is already deleted, which is the desired result. */
export async function ignoreNotFound(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
