/** Owns the share of a processor that one process may use, so that replicas on one machine stand for machines. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';

const PERIOD_US = 10_000;
/** Version 1 of control groups has a hierarchy for each resource, version 2 one for all. */
const OLD_ROOT = '/sys/fs/cgroup/cpu';
const NEW_ROOT = '/sys/fs/cgroup';

/** Holds a process to so many cores; returns what takes the limit away after its end. Throws where it cannot. */
export function limitCpu(pid: number, cores: number): () => void {
  const isOld = existsSync(`${OLD_ROOT}/cpu.cfs_quota_us`);
  const group = `${isOld ? OLD_ROOT : NEW_ROOT}/parley-bench-${pid}`;
  const quotaUs = Math.round(cores * PERIOD_US);
  mkdirSync(group);
  try {
    if (isOld) {
      writeFileSync(`${group}/cpu.cfs_period_us`, String(PERIOD_US));
      writeFileSync(`${group}/cpu.cfs_quota_us`, String(quotaUs));
    } else writeFileSync(`${group}/cpu.max`, `${quotaUs} ${PERIOD_US}`);
    writeFileSync(`${group}/cgroup.procs`, String(pid));
  } catch (error) {
    rmdirSync(group);
    throw error;
  }
  return () => rmdirSync(group);
}

/** True where this process may set such limits: with control groups, as their owner. */
export function canLimitCpu(): boolean {
  const isOld = existsSync(`${OLD_ROOT}/cpu.cfs_quota_us`);
  const group = `${isOld ? OLD_ROOT : NEW_ROOT}/parley-bench-probe-${process.pid}`;
  try {
    mkdirSync(group);
  } catch {
    return false;
  }
  const isThere = existsSync(`${group}/${isOld ? 'cpu.cfs_quota_us' : 'cpu.max'}`);
  rmdirSync(group);
  return isThere;
}
