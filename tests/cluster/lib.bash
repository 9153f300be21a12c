# lib.bash: a Slurm of one node on this machine, all of it in the current folder: munged, slurmctld and slurmd, started by
# hand and ended with the script. The node says that it has 8 cores, so that several ranks fit on a small machine.

# Debian's paths
export PATH=$PATH:/usr/sbin:/sbin
for tool in munged slurmctld slurmd sbatch srun; do
  command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "slurmd runs as root"; exit 77; }

cluster=$PWD/cluster
port=$((20000 + $$ % 20000))
export SLURM_CONF=$cluster/slurm.conf
daemons=()

# ends what was started here, and nothing else
cluster_stop() {
  local pid
  scancel --me 2>/dev/null || true
  sleep 1
  for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
}

# cluster_daemon NAME COMMAND...: in the foreground of a background job, so that its number is known
cluster_daemon() {
  local name=$1
  shift
  "$@" >"$cluster/$name.out" 2>&1 &
  daemons+=($!)
}

cluster_start() {
  local host
  host=$(hostname -s)
  mkdir -p "$cluster/state" "$cluster/spool" "$cluster/munge"
  chmod 755 "$cluster" "$cluster/munge"
  (umask 077 && head -c 1024 /dev/urandom >"$cluster/munge/key")
  cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=30
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
  trap cluster_stop EXIT
  cluster_daemon munged munged --foreground --force --socket="$cluster/munge/socket" --key-file="$cluster/munge/key" \
    --log-file="$cluster/munge/log" --pid-file="$cluster/munge/pid" --seed-file="$cluster/munge/seed"
  for _ in $(seq 50); do [ -S "$cluster/munge/socket" ] && break; sleep 0.1; done
  cluster_daemon slurmctld slurmctld -D -i -f "$SLURM_CONF"
  cluster_daemon slurmd slurmd -D -f "$SLURM_CONF" -N "$host"
  for _ in $(seq 300); do
    sinfo -h -o %T 2>/dev/null | grep -qx idle && return 0
    sleep 0.1
  done
  echo "the cluster did not start:"
  tail -5 "$cluster"/*.log "$cluster"/*.out "$cluster/munge/log"
  exit 1
}

# job_wait ID: until the job is out of the queue; prints its state
job_wait() {
  while squeue -h -j "$1" 2>/dev/null | grep -q .; do sleep 0.5; done
  scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'
}
