import type { DraftForm } from './use-draft-form.ts';

/** The props of every section of the creation form. */
export interface FormSectionProps {
  readonly form: DraftForm;
  /** Returns the server's message about the field at `path`; `undefined` until the user has edited that field. */
  problem(path: string): string | undefined;
}
