import { Modal } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { restoreFocus } from './page-focus.ts';

export interface DialogProps {
  readonly title: string;
  readonly size?: string;
  readonly centered?: boolean;
  /**
   * True to keep the dialog open after a click outside, because closing it would discard input or content that is shown
   * only once.
   */
  readonly keepOpenOnClickOutside?: boolean;
  readonly children: ReactNode;
  onClose(): void;
}

/**
 * A modal dialog. Open as long as it is mounted. When it closes, the focus returns to the element that had it before.
 */
export function Dialog({ keepOpenOnClickOutside = false, children, ...rest }: DialogProps) {
  useEffect(() => restoreFocus, []);
  return (
    <Modal opened closeOnClickOutside={!keepOpenOnClickOutside} closeButtonProps={{ 'aria-label': 'Close' }} {...rest}>
      {children}
    </Modal>
  );
}
