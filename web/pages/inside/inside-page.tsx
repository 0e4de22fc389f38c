import { useParams } from '@tanstack/react-router';
import { AwakeInstancePage } from './awake-instance-page.tsx';
import { Explorer } from './explorer.tsx';

/** The explorer page of a virtual cluster. */
export function InsidePage() {
  const place = useParams({ from: '/virtual-clusters/$project/$name/inside' });
  return (
    <AwakeInstancePage {...place} title="Explorer">
      <Explorer />
    </AwakeInstancePage>
  );
}
