import type { JsonObject } from '@flotilla/json';

/** The user of a request, as Kubernetes represents it (`authentication.k8s.io/v1` UserInfo). */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Returns the user as reviews report it (`UserInfo` in JSON). */
export function userInfoStatus({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    groups: [...groups],
    ...(extra === undefined ? {} : { extra: extra as unknown as JsonObject }),
  };
}
