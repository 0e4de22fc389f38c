import { spawnSync } from 'node:child_process';

/** The reason why there is no haproxy; `undefined` if there is. */
export const haproxyMissing =
  spawnSync('haproxy', ['-v']).status === 0 ? undefined : 'there is no haproxy on PATH (Debian package haproxy)';
