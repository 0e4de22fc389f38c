import { forbiddenPath } from '../../../api/status.ts';

/** Throws 403 if users may not log in with a password. */
export function requirePasswords({ enabled }: { readonly enabled: boolean }): void {
  if (enabled) return;
  throw forbiddenPath(
    'logins with a password are disabled on this server (auth.password.enabled: false); sign in with single sign-on, or with an access key; the key of the first administrator is in the file admin.key in the data directory of the server',
  );
}
