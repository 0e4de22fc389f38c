import { StatusError, serviceUnavailable, unprocessable } from '../api/status.ts';

/** A reason for programs; the message is for users and says what to do. */
export type InstallErrorReason = 'HelmMissing' | 'HelmTimedOut' | 'ChartNotFound' | 'ValuesRefused' | 'InstallFailed';

/** Reasons that persist until a user changes the template or its values. */
const permanentFaults: readonly InstallErrorReason[] = ['ChartNotFound', 'ValuesRefused'];

/** A virtual cluster could not be installed or removed, although the host can be reached. */
export class InstallError extends StatusError {
  readonly fault: InstallErrorReason;

  constructor(fault: InstallErrorReason, message: string) {
    super((permanentFaults.includes(fault) ? unprocessable(message) : serviceUnavailable(message)).status);
    this.name = 'InstallError';
    this.fault = fault;
  }
}
