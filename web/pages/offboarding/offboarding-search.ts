/** The URL parameters of the page: the user who leaves. */
export interface OffboardingSearch {
  readonly user?: string | undefined;
}

export function offboardingSearch({ user }: Record<string, unknown>): OffboardingSearch {
  return typeof user === 'string' && user !== '' ? { user } : {};
}
