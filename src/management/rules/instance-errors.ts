import { equalJson } from '@flotilla/json';
import { type FieldError, fieldNotFound, forbiddenField, invalid } from '../../api/field-error.ts';
import { readParameters } from '../../api/management/parameters.ts';
import { parseSleepSeconds } from '../../api/management/parse-sleep-seconds.ts';
import { resolveTemplate } from '../../api/management/resolve-template.ts';
import { isVersionPattern } from '../../api/management/template-version.ts';
import type { Project } from '../../api/management/v1/project.ts';
import type { TemplateParameter } from '../../api/management/v1/template-definition.ts';
import type {
  VirtualClusterInstance,
  VirtualClusterInstanceSpec,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import { deleteAfterAnnotation, projectOfNamespace, sleepAfterAnnotation } from '../../api/naming.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { InstanceDraft } from '../drafts.ts';
import type { InstanceRules } from '../instances/instance-rules.ts';
import { acceptsInstances, isReadOnly, projectAllowsCluster, readOnlyDetail } from '../instances/placement.ts';
import { allowsTemplate } from '../instances/project-templates.ts';
import type { ManagementState } from '../state.ts';
import { entryLimitErrors } from './entry-limit.ts';
import { missingOwnerErrors, ownerErrors } from './owner-errors.ts';
import { specSizeErrors } from './spec-size.ts';

type Dependencies = Pick<ManagementDependencies, 'state' | 'settings'>;

/**
 * The maximum length of the spec of an instance as JSON. The main thread writes the object several times until the virtual
 * cluster is ready.
 */
const maxSpecLength = 1024 * 1024;

/** Returns the errors of an instance that is too large. */
export function instanceSizeErrors(
  { spec }: VirtualClusterInstance,
  old: VirtualClusterInstance | undefined,
): FieldError[] {
  const before = old?.spec;
  return [
    ...specSizeErrors(spec, before, maxSpecLength),
    ...entryLimitErrors(spec?.access, 'spec.access', before?.access),
    ...entryLimitErrors(spec?.extraAccessRules, 'spec.extraAccessRules', before?.extraAccessRules),
  ];
}

/**
 * Validates an instance. In an update, only changed fields are validated, so that a deleted template, or a cluster that
 * the project no longer allows, does not block other changes.
 */
export function instanceErrors(
  rules: InstanceRules,
  draft: InstanceDraft,
  context: RequestContext,
  dependencies: Dependencies,
): FieldError[] {
  const { object, old } = draft;
  const { owner, template, templateRef } = object.spec ?? {};
  const changed = (field: keyof VirtualClusterInstanceSpec) =>
    old === undefined || !equalJson(object.spec?.[field], old.object.spec?.[field]);
  const errors = ownerErrors(owner, 'spec.owner');
  // An owner other than the caller must exist. The caller may be a subject without a User object.
  const namesOwner = changed('owner') && (owner?.user ?? '') !== context.user.name;
  if (namesOwner) errors.push(...missingOwnerErrors(owner, 'spec.owner', dependencies.state));
  if (template !== undefined && (templateRef?.name ?? '') !== '') {
    errors.push(forbiddenField('spec.template', 'must not be set together with templateRef'));
  }
  if (changed('template')) errors.push(...rules.definitionErrors(template, 'spec.template', dependencies.settings));
  errors.push(...sleepErrors(draft), ...locationErrors(rules, draft, dependencies.state));
  if (changed('templateRef') || changed('template') || changed('parameters')) {
    errors.push(...templateAndParameterErrors(rules, draft, changed('templateRef'), dependencies.state));
  }
  return errors;
}

function sleepErrors({ object, old }: InstanceDraft): FieldError[] {
  return [sleepAfterAnnotation, deleteAfterAnnotation].flatMap((name) => {
    const value = object.metadata.annotations?.[name];
    if (value === undefined || value === old?.object.metadata.annotations?.[name]) return [];
    if (parseSleepSeconds(value) !== undefined) return [];
    const detail = 'must be a number of seconds above 0, such as 3600';
    return [invalid(`metadata.annotations[${name}]`, value, detail)];
  });
}

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function locationErrors(
  { locationFields, derivedLocation, noun }: InstanceRules,
  { object, old }: InstanceDraft,
  state: ManagementState,
): FieldError[] {
  const { name = '', namespace = '' } = object.metadata;
  const project = projectOfNamespace(namespace) ?? '';
  // If the server derived the value from an invalid name, the value is not reported, because the name is already
  // reported.
  return locationFields.flatMap((member) => {
    const path = `spec.clusterRef.${member}`;
    const value = object.spec?.clusterRef?.[member] ?? '';
    const set = old?.object.spec?.clusterRef?.[member] ?? '';
    if (value === set || value === '') return [];
    if (set !== '') return [invalid(path, value, 'field is immutable')];
    if (member === 'cluster') return clusterErrors(value, object, { state, path, noun });
    if ((value.length <= 63 && label.test(value)) || value === derivedLocation[member]?.(project, name)) return [];
    return [
      invalid(
        path,
        value,
        "must be a lowercase RFC 1123 label: at most 63 of a-z, 0-9 and '-', and no '-' at its ends",
      ),
    ];
  });
}

function clusterErrors(
  name: string,
  instance: VirtualClusterInstance,
  { state, path, noun }: { readonly state: ManagementState; readonly path: string; readonly noun: string },
): FieldError[] {
  const project = projectOf(instance, state);
  // This check precedes the check that the cluster exists, so callers do not learn which clusters exist outside their
  // project.
  if (project !== undefined && !projectAllowsCluster(project, name)) {
    return [forbiddenField(path, `the project ${project.metadata.name} does not allow the cluster ${name}`)];
  }
  const cluster = state.cluster(name);
  if (cluster === undefined) return [fieldNotFound(path, name)];
  if (!acceptsInstances(cluster)) return [forbiddenField(path, `the cluster ${name} does not accept new ${noun}s`)];
  const isInstalled = instance.spec?.external !== true;
  return isInstalled && isReadOnly(cluster) ? [forbiddenField(path, readOnlyDetail(name, noun))] : [];
}

function projectOf(instance: VirtualClusterInstance, state: ManagementState): Project | undefined {
  return state.project(projectOfNamespace(instance.metadata.namespace ?? '') ?? '');
}

function templateAndParameterErrors(
  rules: InstanceRules,
  { object }: InstanceDraft,
  checkReference: boolean,
  state: ManagementState,
): FieldError[] {
  const { parameters: text = '', templateRef } = object.spec ?? {};
  const { name = '', version = '' } = templateRef ?? {};
  if (name === '') return readParameters(text, []).errors.slice();

  const template = rules.findTemplate(state, name);
  const errors = checkReference ? referenceErrors(rules, { name, version }, object, state) : [];
  // If the caller may not use the template, its parameters are not validated, because the errors would disclose them.
  if (errors.length > 0) return errors;
  const parameters: readonly TemplateParameter[] | undefined =
    template === undefined ? undefined : resolveTemplate(template, version)?.parameters;
  return parameters === undefined ? [] : readParameters(text, parameters).errors.slice();
}

function referenceErrors(
  { templateKind, findTemplate }: InstanceRules,
  { name, version }: { readonly name: string; readonly version: string },
  instance: VirtualClusterInstance,
  state: ManagementState,
): FieldError[] {
  const project = projectOf(instance, state);
  if (project !== undefined && !allowsTemplate(project, templateKind, name)) {
    const detail = `the project ${project.metadata.name} does not allow the template ${name}`;
    return [forbiddenField('spec.templateRef.name', detail)];
  }
  const template = findTemplate(state, name);
  if (template === undefined) return [fieldNotFound('spec.templateRef.name', name)];
  if (!isVersionPattern(version)) {
    const detail = 'must be a version such as 1.2.0, or one with wildcards such as 1.x.x';
    return [invalid('spec.templateRef.version', version, detail)];
  }
  if (resolveTemplate(template, version) !== undefined) return [];
  return [invalid('spec.templateRef.version', version, `the template ${name} has no version that matches`)];
}
