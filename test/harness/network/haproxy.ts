import { spawnSync } from 'node:child_process';

/** The reason why haproxy cannot be used; `undefined` if there is none. */
export const haproxyMissing =
  spawnSync('haproxy', ['-v']).status === 0 ? undefined : 'there is no haproxy on PATH (Debian package haproxy)';
