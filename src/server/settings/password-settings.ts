import { type SecondFactorPolicy, secondFactorPolicies } from '../../api/second-factor.ts';
import { booleanSetting, choiceSetting, nestedSettings } from './setting-group.ts';

/** The settings of logins with a password. */
export interface PasswordSettings {
  readonly enabled: boolean;
  readonly secondFactor: SecondFactorPolicy;
}

export const passwordSettings = nestedSettings({
  enabled: booleanSetting({
    default: true,
    meaning:
      'allow logins with a password; if false, such logins get 403, and people sign in through a connector (`auth.oidc`); access keys such as `admin.key` can still log in, so an administrator can always get back in',
  }),
  secondFactor: choiceSetting(secondFactorPolicies, {
    default: 'off',
    meaning:
      'one-time codes from an authenticator app (TOTP) as a second factor of logins with a password; `optional`: users who have set it up need a code; `required`: users without it set it up at their next login',
  }),
});
