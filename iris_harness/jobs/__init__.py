"""Jobs, the control plane: from a task to an immutable manifest on a durable queue (extra `jobs`).

A `PlanRequest` becomes a `Plan` (planners), a plan that holds up (validation) becomes a `Manifest`,
and manifest, job, workers and edges are written in one transaction (submit). Daemons lease workers
from the queue. Nothing here ever sees a checkout.
"""
