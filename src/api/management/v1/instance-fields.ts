import type { JsonObject } from '@flotilla/json';
import { column } from '../../columns.ts';
import { t } from '../../schema/schema-builder.ts';
import { accessRuleSchema } from './access.ts';
import type { Owner } from './owner.ts';

/*
 * The fields and columns that VirtualClusterInstance and SpaceInstance have in common. `what` is the noun in their
 * descriptions: `virtual cluster` or `space`.
 */

export const templateRefSchema = (what: string) =>
  t.object(
    {
      name: t.optional(t.string({ description: `Name of the ${what} template.` })),
      version: t.optional(
        t.string({
          description:
            'Version of the template: exact, or with wildcards such as 1.x.x. Defaults to the newest version.',
        }),
      ),
      syncOnce: t.optional(
        t.boolean({
          description: 'If true, the template is rendered only once, and later changes to the template are ignored.',
        }),
      ),
    },
    { description: `Reference to the template of the ${what}. Must not be set together with template.` },
  );

export const parameterValuesSchema = t.string({
  description: 'Values of the template parameters, as YAML: one <key>: <value> per line.',
});

export const extraAccessRulesSchema = (what: string) =>
  t.array(accessRuleSchema, {
    description: `Rules that assign roles inside the ${what}, in addition to the rules of the template.`,
  });

export const phaseFields = (what: string) => ({
  phase: t.optional(t.string({ description: `Phase of the ${what}: Pending, Ready, Sleeping or Failed.` })),
  reason: t.optional(t.string({ description: 'Machine-readable reason for the phase, in CamelCase.' })),
  message: t.optional(
    t.string({ description: 'Human-readable explanation of the phase. For a problem, it says how to resolve it.' }),
  ),
});

export const installHashSchema = t.string({
  description: 'Digest of the settings of the last installation that the server requested from the host.',
});

export const activityFields = (what: string) => ({
  lastActivity: t.optional(
    t.timestamp({
      description: `Time of the last use. Accurate to one minute if auto-sleep or auto-delete is configured, otherwise to five minutes. Absent if the ${what} was never used.`,
    }),
  ),
  canUse: t.optional(t.boolean({ description: `True if the caller may use the ${what}.` })),
  canUpdate: t.optional(t.boolean({ description: 'True if the caller may change the instance.' })),
});

type ColumnFields = { spec?: { owner?: Owner; template?: JsonObject; templateRef?: { name?: string } } };

export const templateColumn = (what: string) =>
  column<ColumnFields>(
    'Template',
    ({ spec }) => (spec?.template === undefined ? spec?.templateRef?.name || undefined : '<inline>'),
    { description: `Name of the template of the ${what}.`, path: 'spec.templateRef.name' },
  );

export const ownerColumn = column<ColumnFields>(
  'Owner',
  ({ spec }) => spec?.owner?.user || spec?.owner?.team || undefined,
  {
    description: 'User or team that owns the instance.',
    path: 'spec.owner.user',
  },
);

export const instanceSelectableFields = [
  'spec.owner.user',
  'spec.owner.team',
  'spec.clusterRef.cluster',
  'spec.templateRef.name',
  'status.phase',
];
