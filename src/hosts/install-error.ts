import { StatusError, serviceUnavailable, unprocessable } from '../api/status.ts';

/** A word for programs; the message is for people, and says what to do. */
export type InstallFault = 'HelmMissing' | 'HelmTimedOut' | 'ChartNotFound' | 'ValuesRefused' | 'InstallFailed';

/** Which of them go away only when somebody changes what is to be installed. */
const lasting: readonly InstallFault[] = ['ChartNotFound', 'ValuesRefused'];

/** A virtual cluster could not be installed, or taken away. Nothing is wrong with the way to the host. */
export class InstallError extends StatusError {
  readonly fault: InstallFault;

  constructor(fault: InstallFault, message: string) {
    super((lasting.includes(fault) ? unprocessable(message) : serviceUnavailable(message)).status);
    this.name = 'InstallError';
    this.fault = fault;
  }
}
