"""Fetch a revision with Python's huggingface_hub: ENDPOINT ORG/NAME REVISION DIR [TOKEN]. Prints what its listing says."""
import json
import os
import sys

endpoint, repo, revision, folder, *token = sys.argv[1:]
os.environ.update(HF_HUB_DISABLE_XET="1", HF_HUB_DISABLE_TELEMETRY="1", HF_HUB_DISABLE_PROGRESS_BARS="1", HF_HOME=folder + ".home")

from huggingface_hub import HfApi  # noqa: E402 (reads the environment)

api = HfApi(endpoint=endpoint, token=token[0] if token else False)
info = api.model_info(repo, revision=revision)
api.snapshot_download(repo, revision=info.sha, local_dir=folder)
files = {}
for entry in api.list_repo_tree(repo, revision=info.sha):
    if hasattr(entry, "size"):
        files[entry.path] = {"size": entry.size, "sha256": entry.lfs.sha256 if entry.lfs else "", "git": "" if entry.lfs else entry.blob_id}
print(json.dumps({"commit": info.sha, "licence": info.card_data.license if info.card_data else "", "files": files}))
