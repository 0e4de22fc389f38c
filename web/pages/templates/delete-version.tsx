import { Text } from '@mantine/core';
import type { VirtualClusterTemplate } from '../../../src/api/management/v1/virtual-cluster-template.ts';
import { Confirm } from '../../components/form/confirm.tsx';
import { notify } from '../../components/notifications.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { changeObject } from '../../data/objects/change-object.ts';
import { templateSpec } from './template-versions.ts';

export interface DeleteVersionProps {
  readonly template: VirtualClusterTemplate;
  readonly version: string;
  onClose(): void;
}

export function DeleteVersion({ template, version, onClose }: DeleteVersionProps) {
  const { name = '' } = template.metadata;
  return (
    <Confirm
      title={`Delete version ${version}?`}
      action={`Delete ${version}`}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await changeObject(kinds.template, { name }, (newest) => ({
          spec: { versions: (templateSpec(newest).versions ?? []).filter((one) => one.version !== version) },
        }));
        notify.done(`Deleted version ${version} of ${name}`);
      }}
    >
      <Text size="sm">
        Virtual clusters that request exactly this version can no longer be created or updated. Existing virtual
        clusters are kept unchanged.
      </Text>
    </Confirm>
  );
}
