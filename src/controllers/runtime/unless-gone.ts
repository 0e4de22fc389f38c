import { StatusError } from '../../api/status.ts';

/** Somebody else was faster, and what was to be changed is gone: nothing is left to do. */
export async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
