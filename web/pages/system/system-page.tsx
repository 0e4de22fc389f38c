import { PageHeader } from '../../components/page-header.tsx';
import { QuarantinePanel } from './quarantine-panel.tsx';
import { ServersPanel } from './servers-panel.tsx';

/** The page about the installation itself, for administrators and auditors: its servers, and the quarantined virtual clusters. */
export function SystemPage() {
  return (
    <>
      <PageHeader title="System" about="The servers of this installation, and quarantined virtual clusters." />
      <ServersPanel />
      <QuarantinePanel />
    </>
  );
}
