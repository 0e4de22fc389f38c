import type { JsonObject } from '@flotilla/json';
import { describeFieldError } from '../../../../api/field-error.ts';
import { kubernetesDefaults } from '../../defaults/kubernetes-defaults.ts';
import { kubernetesRules } from '../kubernetes-rules.ts';

/** A valid container. */
export const web = { name: 'web', image: 'nginx' };

/** Returns the errors of a pod template without `template.` in their paths. */
export function templateProblems(template: JsonObject, old?: JsonObject): string[] {
  const [object, stored] = [template, old].map((given) => {
    const made: JsonObject = { template: structuredClone(given ?? {}) };
    kubernetesDefaults.apply('core.PodTemplate', made, 0);
    return made;
  });
  const errors = kubernetesRules.errorsOf('core.PodTemplate', object ?? {}, old === undefined ? undefined : stored);
  return errors.map((error) => describeFieldError(error).replace(/^template\./, ''));
}

/** Returns the errors of a pod spec without its path. */
export function problems(spec: JsonObject): string[] {
  return templateProblems({ spec: { containers: [web], ...spec } }).map((line) => line.replace(/^spec\./, ''));
}

/** Returns the errors of a pod spec with this container, without the path of the container. */
export function containerProblems(container: JsonObject, spec: JsonObject = {}): string[] {
  return problems({ containers: [{ ...web, ...container }], ...spec }).map((line) =>
    line.replace(/^containers\[0\]\./, ''),
  );
}
