import {
  cliGrantsPath,
  cliLoginPath,
  cliTokenPath,
  deviceCodePath,
  deviceDecisionPath,
  deviceRequestPath,
  deviceTokenPath,
  renewLoginPath,
} from '../../../api/auth/cli-login.ts';
import { readOnly } from '../../../http/documents/process-mounts.ts';
import type { Filter, Handler } from '../../../http/exchange.ts';
import type { Log } from '../../../lib/log.ts';
import type { CloseStack } from '../../../process/close-stack.ts';
import type { Sealer } from '../../../seal/sealer.ts';
import type { Store } from '../../../store/store.ts';
import { jsonReply } from '../login-body.ts';
import { cliConsentHandler, cliGrantLimits, cliTokenHandler, parseCliGrant } from './cli-grant-handlers.ts';
import { deviceDecisionHandler, deviceRequestHandler } from './device-consent-handlers.ts';
import { deviceGrantLimits, generateUserCode, parseDeviceGrant } from './device-grant.ts';
import { type DeviceOptions, deviceCodeHandler, deviceTokenHandler } from './device-handlers.ts';
import { GrantRows } from './grant-rows.ts';
import type { LoginRenewals } from './login-renewals.ts';
import { renewalHandler } from './renewal-handler.ts';

export interface GrantHandlersOptions extends Omit<DeviceOptions, 'grants' | 'audited' | 'renewals'> {
  readonly renewals: LoginRenewals;
  readonly store: Store;
  readonly sealer: Sealer;
  readonly closing: CloseStack;
  readonly log: Log;
}

/** The handlers for logins of the command line, by path. */
export interface GrantHandlers {
  /** The handlers of requests without authentication. They use `audited` themselves. */
  createPublic(audited: Filter): readonly (readonly [string, Handler])[];
  /** The handlers of requests from pages of the console, and from command lines that have a login. */
  readonly authenticated: readonly (readonly [string, Handler])[];
}

export function openGrantHandlers(options: GrantHandlersOptions): GrantHandlers {
  const { closing } = options;
  const cliGrants = new GrantRows({ ...options, ...cliGrantLimits, parse: parseCliGrant });
  const deviceGrants = new GrantRows({
    ...options,
    ...deviceGrantLimits,
    generateCode: generateUserCode,
    parse: parseDeviceGrant,
  });
  closing.add('grants', () => {
    cliGrants.close();
    deviceGrants.close();
  });
  return {
    createPublic(audited) {
      const ofDevices = { ...options, audited, grants: deviceGrants };
      return [
        [cliLoginPath, readOnly(async () => jsonReply(200, { redirect: true, device: true }))],
        [cliTokenPath, cliTokenHandler({ ...options, audited, grants: cliGrants })],
        [deviceCodePath, deviceCodeHandler(ofDevices)],
        [deviceTokenPath, deviceTokenHandler(ofDevices)],
      ];
    },
    authenticated: [
      [cliGrantsPath, cliConsentHandler({ ...options, grants: cliGrants })],
      [deviceRequestPath, deviceRequestHandler({ ...options, grants: deviceGrants })],
      [deviceDecisionPath, deviceDecisionHandler({ ...options, grants: deviceGrants })],
      [renewLoginPath, renewalHandler(options)],
    ],
  };
}
