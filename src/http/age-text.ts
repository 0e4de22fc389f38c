/** How long ago, as `kubectl get` shows it (rule TABLE-05). A second unit that is zero is left out. */
export function ageText(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return twoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return twoUnits(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? twoUnits(years, 'y', days % 365, 'd') : `${years}y`;
}

function twoUnits(first: number, firstUnit: string, second: number, secondUnit: string): string {
  return second === 0 ? `${first}${firstUnit}` : `${first}${firstUnit}${second}${secondUnit}`;
}
