import { notify } from '../components/notifications.tsx';
import { signOut } from '../data/session/sign-in.ts';

/** Signs out. If the server does not respond, the user stays signed in and sees the error. */
export function signOutOrNotify(): void {
  void signOut().catch((error: unknown) => notify.failed('Sign-out failed', error));
}
