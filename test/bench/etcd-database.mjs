/** The bytes that the rows of etcd take in the database of a member, with their history. */
export async function etcdDatabaseBytes(etcdUrl) {
  const metrics = await (await fetch(`${etcdUrl}/metrics`)).text();
  return Number(/^etcd_mvcc_db_total_size_in_use_in_bytes (\S+)$/m.exec(metrics)?.[1]);
}
