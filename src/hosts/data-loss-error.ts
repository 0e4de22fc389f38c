import { StatusError, unprocessable } from '../api/status.ts';

/** Thrown if a sleep that would delete the data of a virtual cluster was requested without accepting the loss. */
export class DataLossError extends StatusError {
  /** The cause: which object keeps the data in which volume. A sentence for users. */
  readonly detail: string;

  constructor(detail: string) {
    super(unprocessable(`sleep would delete all data of the virtual cluster: ${detail}`).status);
    this.name = 'DataLossError';
    this.detail = detail;
  }
}
