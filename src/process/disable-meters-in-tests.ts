import { disableMeters } from '@flotilla/work-meter';

/** The environment variable with which tests switch off the limits of metered work in a whole process. */
export const unmeteredVariable = 'FLOTILLA_TEST_UNMETERED';

/** Switches off the limits of metered work on this thread, if a test has set the environment variable. */
export function disableMetersInTests(environment: NodeJS.ProcessEnv): void {
  if (environment[unmeteredVariable] === '1') disableMeters();
}
