/** The user of a request, as Kubernetes represents it (`authentication.k8s.io/v1` UserInfo). */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
