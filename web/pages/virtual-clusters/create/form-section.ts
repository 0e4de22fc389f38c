import type { DraftForm } from './use-draft-form.ts';

/** The props of every section of the form. */
export interface FormSectionProps {
  readonly form: DraftForm;
  /** The server's message about a field, once the user has edited it. */
  problem(path: string): string | undefined;
}
