import { encode } from 'uqr';

export interface QrCodeProps {
  /** The text that a phone reads from the code. */
  readonly text: string;
  readonly label: string;
}

/** The white margin around the code in modules, without which apps do not find it (ISO/IEC 18004). */
const margin = 4;
const pixelsPerModule = 4;

/** A QR code in black on white in every color scheme, because many apps cannot read inverted ones. */
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

/** Returns the dark modules of a QR code with its margin as an SVG path, and the size in modules. */
export function qrCodePath(text: string): { readonly size: number; readonly path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: margin });
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return { size, path: squares.join('') };
}
