"""Signs requests as the SDK of AWS does, at given moments: requests come as JSON lines, addresses go out."""

import datetime
import json
import sys

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


class FixedMoment(datetime.datetime):
    """The clock of a request."""

    moment = None

    @classmethod
    def at(cls, text):
        cls.moment = cls.fromisoformat(text)


def signed(case):
    FixedMoment.at(case["at"])
    botocore.auth.get_current_datetime = lambda: FixedMoment.moment
    access = Credentials(case["accessKey"], case["secretKey"], case.get("sessionToken"))
    signer = botocore.auth.S3SigV4QueryAuth(access, "s3", case["region"], expires=case["validSeconds"])
    request = AWSRequest(method=case["method"], url=case["origin"] + case["path"], params=case["query"])
    signer.add_auth(request)
    return request.url


for line in sys.stdin:
    print(signed(json.loads(line)), flush=True)
