import { encode } from 'uqr';

export interface QrCodeProps {
  /** The text that a phone reads from the code. */
  readonly text: string;
  readonly label: string;
}

/** The white margin around the code, in modules. Without it, apps do not find the code (ISO/IEC 18004). */
const margin = 4;
const pixelsPerModule = 4;

/** A QR code in black on white, also in dark mode, because many apps cannot read inverted codes. */
export function QrCode({ text, label }: QrCodeProps) {
  const { size, path } = qrCodePath(text);
  return (
    <svg
      role="img"
      aria-label={label}
      width={size * pixelsPerModule}
      height={size * pixelsPerModule}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="white" />
      <path d={path} fill="black" />
    </svg>
  );
}

/** Returns an SVG path of the dark modules, and the size of the QR code in modules including its margin. */
export function qrCodePath(text: string): { readonly size: number; readonly path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: margin });
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return { size, path: squares.join('') };
}
