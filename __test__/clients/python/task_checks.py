"""Checks of tasks and batches: the client and its own handler of tasks have the same methods."""

from stage import equal, holds


def _last(stage):
    return stage.client.get_tasks({"limit": 1}).results[0]


def checks_of(pick):
    """The checks, on what `pick` takes of a stage."""

    def get_batches(stage):
        found = pick(stage).get_batches({"indexUids": [stage.index.uid]})
        assert found.total >= 1
        equal(found.results[0].stats["status"], {"succeeded": found.results[0].stats["totalNbTasks"]})

    def get_batch(stage):
        uid = pick(stage).get_batches({"limit": 1}).results[0].uid
        holds(pick(stage).get_batch(uid), uid=uid)

    def get_tasks(stage):
        asked = {"indexUids": [stage.index.uid], "statuses": ["succeeded"], "limit": 10}
        found = pick(stage).get_tasks(asked)
        equal([task.index_uid for task in found.results], [stage.index.uid] * 2)

    def get_task(stage):
        task = pick(stage).get_task(_last(stage).uid)
        holds(task, type="documentAdditionOrUpdate", status="succeeded", error=None)

    def cancel_tasks(stage):
        task = stage.done(pick(stage).cancel_tasks({"uids": [str(_last(stage).uid)]}))
        holds(task, type="taskCancelation")

    def delete_tasks(stage):
        uid = _last(stage).uid
        task = stage.done(pick(stage).delete_tasks({"uids": [str(uid)]}))
        holds(task, type="taskDeletion")
        equal(task.details["deletedTasks"], 1)

    def wait_for_task(stage):
        holds(pick(stage).wait_for_task(_last(stage).uid), status="succeeded")

    return {
        check.__name__: check
        for check in (
            get_batches,
            get_batch,
            get_tasks,
            get_task,
            cancel_tasks,
            delete_tasks,
            wait_for_task,
        )
    }
