import { StatusError, serviceUnavailable, unprocessable } from '../api/status.ts';

/** The machine-readable cause of an InstallError. The error message is for users and contains advice. */
export type InstallErrorReason = 'HelmMissing' | 'HelmTimedOut' | 'ChartNotFound' | 'ValuesRefused' | 'InstallFailed';

/** Causes for which a retry cannot succeed until a user changes the template or its values. */
const permanentFaults: readonly InstallErrorReason[] = ['ChartNotFound', 'ValuesRefused'];

/** Thrown if a virtual cluster cannot be installed or removed although its host is reachable. */
export class InstallError extends StatusError {
  readonly fault: InstallErrorReason;

  constructor(fault: InstallErrorReason, message: string) {
    super((permanentFaults.includes(fault) ? unprocessable(message) : serviceUnavailable(message)).status);
    this.name = 'InstallError';
    this.fault = fault;
  }
}
