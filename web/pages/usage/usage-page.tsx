import { DetailTabs } from '../../components/object/detail-tabs.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { UsageTab } from '../../components/usage/usage-tab.tsx';
import { fleetOwner } from '../../data/recorded-usage.ts';
import { PricesPanel } from './prices-panel.tsx';

/** The page with the usage of the whole installation and with the prices. */
export function UsagePage() {
  return (
    <>
      <PageHeader title="Usage" about="Resource usage and costs of all virtual clusters and spaces." />
      <DetailTabs
        label="Usage sections"
        tabs={[
          { id: 'usage', label: 'Usage', render: () => <UsageTab owner={fleetOwner} /> },
          { id: 'prices', label: 'Prices', render: () => <PricesPanel /> },
        ]}
      />
    </>
  );
}
