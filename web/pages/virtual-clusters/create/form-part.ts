import type { DraftForm } from './use-draft-form.ts';

/** What each part of the form is given. */
export interface FormPartProps {
  readonly form: DraftForm;
  /** What the server says is wrong with a field, once somebody has been there. */
  problem(path: string): string | undefined;
}
