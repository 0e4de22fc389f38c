import { Button } from '@mantine/core';
import { Icon, type IconName } from './icon.tsx';

export interface OfferedProps {
  /** The server's answer, and whatever else has to be so. */
  readonly when: boolean | undefined;
  readonly icon?: IconName;
  readonly children: string;
  onPress(): void;
}

/** Something that can be done here, for those who may. */
export function Offered({ when, icon, children, onPress }: OfferedProps) {
  if (when !== true) return null;
  const sign = icon === undefined ? undefined : <Icon name={icon} size={16} />;
  return (
    <Button variant="default" leftSection={sign} onClick={onPress}>
      {children}
    </Button>
  );
}
