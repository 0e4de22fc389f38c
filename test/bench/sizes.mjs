/** The amounts at full scale. A smaller scale reduces every amount that costs much time. */
export function sizesAt(scale) {
  const some = (count, least = 1) => Math.max(least, Math.round(count * scale));
  return {
    objects: some(10_000, 50),
    manyObjects: some(100_000, 100),
    creators: [1, 10, 64, 256].filter((clients) => scale >= 0.05 || clients <= 64),
    createSeconds: Math.max(0.5, 8 * scale),
    /** The most objects that one measurement creates. Without this limit, a fast server would fill the disk. */
    mostCreates: some(25_000, 100),
    /** The requests before a measurement, enough for the servers to compile their hot code. */
    warmUps: scale >= 0.1 ? 3000 : some(3000, 20),
    keys: some(2000, 20),
    manyKeys: some(100_000, 100),
    /**
     * Each revoked key causes a failed authentication, and the server slows down a source address with more than twenty
     * failures.
     */
    revokedKeys: 15,
    gets: some(20_000, 100),
    gotObjects: some(1000, 20),
    listRepeats: Math.max(2, Math.round(10 * Math.min(1, scale * 2))),
    /** For each way to store objects: lists of `gotObjects` objects, and single writes to a watched object. */
    smallLists: some(200, 5),
    pacedWrites: some(200, 10),
    watches: 25,
    pacedObjects: some(500, 10),
    watchers: some(1000, 20),
    fanOutWrites: some(100, 5),
    /** Long enough for a meaningful p99 of single requests. */
    fairSeconds: Math.max(1, 5 * scale),
    /** Numbers of virtual clusters: unused ones, ones whose first response is measured, and ones in each round. */
    planes: some(10_000, 50),
    askedPlanes: some(500, 10),
    planeWarmUps: some(300, 10),
    roundPlanes: some(1000, 20),
    planeRounds: scale >= 0.1 ? 10 : 3,
    /** For virtual clusters that are in use at the same time: the measured seconds, and the objects of each list. */
    busySeconds: Math.max(1, 10 * scale),
    listedObjects: 100,
    /** Instances whose whole lifecycle is measured. */
    lives: some(10_000, 50),
    /** The number of unused agents, and the bytes of one response through a tunnel. */
    idleAgents: some(500, 10),
    transferBytes: some(512 * 1024 * 1024, 8 * 1024 * 1024),
    transferRounds: scale >= 0.1 ? 5 : 1,
    consoleViews: scale >= 0.1 ? 5 : 1,
    starts: scale >= 0.1 ? 3 : 1,
    idleSeconds: Math.max(0.5, 5 * Math.min(1, scale * 2)),
    /** The time limit for an operation that runs on every object. Objects not reached by then are not counted. */
    mostSeconds: 60,
  };
}
