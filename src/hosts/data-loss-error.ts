import { StatusError, unprocessable } from '../api/status.ts';

/** Thrown if a sleep would delete the data of a virtual cluster and the request does not accept the loss of data. */
export class DataLossError extends StatusError {
  /** The cause: which object keeps the data in which volume. A sentence for users. */
  readonly detail: string;

  constructor(detail: string) {
    super(unprocessable(`sleep would delete all data of the virtual cluster: ${detail}`).status);
    this.name = 'DataLossError';
    this.detail = detail;
  }
}
