import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { patchObject } from '../../data/objects/objects.ts';
import { clusterSpec } from './cluster-info.ts';

/** A dialog that edits the direct endpoint of a cluster. */
export function EditEndpoint({ cluster, onClose }: { readonly cluster: Cluster; readonly onClose: () => void }) {
  const { name = '' } = cluster.metadata;
  const before = clusterSpec(cluster).directEndpoint;
  const [host, setHost] = useState(before?.host ?? '');
  const [caData, setCaData] = useState(before?.caData ?? '');

  async function send(): Promise<void> {
    const directEndpoint = host.trim() === '' ? null : { host: host.trim(), caData: caData.trim() || null };
    await patchObject(kinds.cluster, { name }, { spec: { directEndpoint } });
    notify.done(`Saved ${name}`);
  }

  return (
    <FormDialog title={`Direct endpoint of ${name}`} action="Save" size="lg" onSend={send} onClose={onClose}>
      {(error) => {
        const problem = fieldProblems(error);
        return (
          <>
            <TextInput
              label="Address"
              description="The address at which clients reach the agent. Leave the field empty to remove the direct endpoint."
              placeholder="https://edge.example.com:8444"
              value={host}
              onChange={(event) => setHost(event.currentTarget.value)}
              error={problem('spec.directEndpoint.host')}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
            <Textarea
              label="CA certificates"
              description="CA certificates in PEM format that verify the endpoint. Leave the field empty if its certificate is publicly trusted."
              value={caData}
              onChange={(event) => setCaData(event.currentTarget.value)}
              error={problem('spec.directEndpoint.caData')}
              autosize
              minRows={3}
              maxRows={10}
              spellCheck={false}
              classNames={{ input: 'mono' }}
            />
          </>
        );
      }}
    </FormDialog>
  );
}
