/** The users who do not want to receive mails. */
export interface MailPreferences {
  /** True if the user with this UID has switched mails off. */
  isOff(uid: string): Promise<boolean>;
  setOff(uid: string, isOff: boolean): Promise<void>;
}
