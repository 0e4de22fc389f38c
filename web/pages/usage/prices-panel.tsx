import { Button, Group, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { PriceList } from '../../../src/api/management/v1/usage/price-list.ts';
import { StatusError } from '../../../src/api/status.ts';
import { type PricedUnitName, pricedUnits } from '../../../src/api/usage/usage-costs.ts';
import { priceListName } from '../../../src/api/usage/usage-periods.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { createObject, getObject, patchObject } from '../../data/objects/objects.ts';
import { useSelf } from '../../data/session/use-self.ts';

const queryKey = ['price-list'];

/** The price list. Administrators can change it. */
export function PricesPanel() {
  const { data, error, refetch } = useQuery({ queryKey, queryFn: readPrices });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <LoadingIndicator message="Loading prices" />;
  return <PricesForm key={data?.metadata.resourceVersion ?? ''} list={data ?? undefined} />;
}

/** Returns the price list; `null` if there is none. */
async function readPrices(): Promise<PriceList | null> {
  return await getObject(kinds.priceList, { name: priceListName }).catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 404) return null;
    throw error;
  });
}

function PricesForm({ list }: { readonly list: PriceList | undefined }) {
  const { isAdmin } = useSelf();
  const queryClient = useQueryClient();
  const [currency, setCurrency] = useState(list?.spec?.currency ?? '');
  const [prices, setPrices] = useState<Partial<Record<PricedUnitName, string>>>(list?.spec?.prices ?? {});
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await writePrices(list, currency, prices);
      await queryClient.invalidateQueries({ queryKey });
      await queryClient.invalidateQueries({ queryKey: ['recorded-usage'] });
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Panel title="Prices">
      <form onSubmit={(event) => void save(event)}>
        <Text size="sm" c="dimmed" mb="md">
          Units without a price are free. The current prices apply to all costs, also for past usage.
          {isAdmin ? '' : ' Only administrators can change the prices.'}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mb="md">
          <TextInput
            label="Currency"
            description="For example EUR."
            value={currency}
            required
            maxLength={12}
            readOnly={!isAdmin}
            onChange={(event) => setCurrency(event.currentTarget.value)}
          />
          {pricedUnits.map(({ name, title, description }) => (
            <TextInput
              key={name}
              label={title}
              description={description}
              placeholder="free"
              inputMode="decimal"
              value={prices[name] ?? ''}
              readOnly={!isAdmin}
              onChange={(event) => setPrices({ ...prices, [name]: event.currentTarget.value.trim() })}
            />
          ))}
        </SimpleGrid>
        {error === null ? null : <ErrorNotice error={error} />}
        {isAdmin ? (
          <Group justify="flex-end" mt="md">
            <Button type="submit" loading={isBusy}>
              Save prices
            </Button>
          </Group>
        ) : null}
      </form>
    </Panel>
  );
}

/** Creates or changes the price list. Fails with 409 if another administrator has changed the list in the meantime. */
async function writePrices(
  list: PriceList | undefined,
  currency: string,
  prices: Partial<Record<PricedUnitName, string>>,
): Promise<void> {
  const given = Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== ''));
  if (list === undefined) {
    const spec = { currency, prices: given };
    await createObject(kinds.priceList, { metadata: { name: priceListName }, spec });
    return;
  }
  const removed = pricedUnits.filter(({ name }) => given[name] === undefined).map(({ name }) => [name, null]);
  const { resourceVersion } = list.metadata;
  const spec = { currency, prices: { ...given, ...Object.fromEntries(removed) } };
  await patchObject(kinds.priceList, { name: priceListName }, { metadata: { resourceVersion }, spec });
}
