/** The IDs of the current notifications that a user has read or dismissed. */
export interface NotificationState {
  readonly read: readonly string[];
  readonly dismissed: readonly string[];
}

/** The stored states of all users. */
export interface NotificationStates {
  get(user: string): Promise<NotificationState>;
  set(user: string, state: NotificationState): Promise<void>;
}
