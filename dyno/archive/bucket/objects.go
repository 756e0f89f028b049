package bucket

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"dyno.example/dyno/archive"
	"dyno.example/internal/i18n"
)

// Bounds of requests to a store, so that one that hangs ends in an error.
const (
	attempts        = 3                // of each request; the library waits in between
	patience        = 30 * time.Second // for the begin of a response
	slowest         = 64 << 10         // bytes a second below which a transfer is given up
	openPatience    = 20 * time.Second // for credentials
	connectionsKept = 8
)

// objects are those of a bucket under a prefix. It is the only place that knows
// the library.
type objects struct {
	client *s3.Client
	bucket string
	prefix string // empty, or ending with a slash
}

// openObjects finds credentials for the bucket; nothing is sent to it.
func openObjects(ctx context.Context, l archive.Location) (*objects, error) {
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	options := []func(*config.LoadOptions) error{
		config.WithRetryMaxAttempts(attempts),
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
			t.ResponseHeaderTimeout = patience
			t.MaxIdleConnsPerHost = connectionsKept
		})),
	}
	if l.Region != "" {
		options = append(options, config.WithRegion(l.Region))
	}
	if l.Profile != "" {
		options = append(options, config.WithSharedConfigProfile(l.Profile))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("reading the AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		if l.Endpoint == "" {
			return nil, errors.New("no region: add ?region=… to the URL, or set AWS_REGION")
		}
		cfg.Region = "us-east-1" // signed with; what stores without regions expect
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return nil, fmt.Errorf("no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE: %w", brief(err))
	}
	o := &objects{client: newClient(cfg, l), bucket: l.Bucket}
	if endpoint := o.client.Options().BaseEndpoint; endpoint != nil {
		if err := l.Accepts(*endpoint); err != nil {
			return nil, err
		}
	}
	if l.Prefix != "" {
		o.prefix = l.Prefix + "/"
	}
	return o, nil
}

// newClient enables the library's own checksums only where S3 insists: stores that
// speak S3 don't all support them. What is sent carries its SHA-256 in any case, and
// what is read is held to a run's sums.
func newClient(cfg aws.Config, l archive.Location) *s3.Client {
	return s3.NewFromConfig(cfg, func(o *s3.Options) {
		if l.Endpoint != "" {
			o.BaseEndpoint = aws.String(l.Endpoint)
		}
		if b, ok := cfg.HTTPClient.(*awshttp.BuildableClient); ok {
			o.HTTPClient = &http.Client{Transport: b.GetTransport(), Timeout: b.GetTimeout(), CheckRedirect: func(to *http.Request, via []*http.Request) error { return mayGo(l, to, len(via)) }}
		}
		o.UsePathStyle = l.PathStyle
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	})
}

// mayGo says whether a store may send a request elsewhere: by statuses that keep its method
// (S3 does so by 307), and not where the location doesn't let it be sent.
func mayGo(l archive.Location, to *http.Request, times int) error {
	const most = 10
	if status := to.Response.StatusCode; times >= most || status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect {
		return http.ErrUseLastResponse
	}
	if err := l.Permits(&url.URL{Scheme: to.URL.Scheme, Host: to.URL.Host}); err != nil {
		return fmt.Errorf("the store sends requests elsewhere: %w", err)
	}
	return nil
}

// put uploads a file of the size, in one request: the object is there wholly or
// not at all. The store refuses content of another SHA-256, given in hexadecimal.
func (o *objects) put(ctx context.Context, key string, body io.ReadSeeker, size int64, sum string) error {
	ctx, cancel := context.WithTimeout(ctx, allowance(size))
	defer cancel()
	digest, err := hex.DecodeString(sum)
	if err != nil {
		return err
	}
	_, err = o.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &o.bucket, Key: aws.String(o.prefix + key), Body: body, ContentLength: &size,
		ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(digest)),
	})
	return brief(err)
}

// get copies an object into w, up to limit bytes of it. One that isn't there is
// [os.ErrNotExist].
func (o *objects) get(ctx context.Context, key string, w io.Writer, limit int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(allowance(0), func() { cancel(errSlow) })
	defer late.Stop()
	out, err := o.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &o.bucket, Key: aws.String(o.prefix + key)})
	if err != nil {
		return cmp.Or(context.Cause(ctx), brief(err))
	}
	defer out.Body.Close()
	if aws.ToInt64(out.ContentLength) > limit {
		return tooLarge(limit)
	}
	late.Reset(allowance(aws.ToInt64(out.ContentLength)))
	n, err := io.Copy(w, io.LimitReader(out.Body, limit+1))
	if err == nil && n > limit {
		return tooLarge(limit)
	}
	return cmp.Or(context.Cause(ctx), err)
}

func tooLarge(limit int64) error {
	return i18n.Errorf("archive.larger-bytes", "larger than %d bytes", limit)
}

var errSlow = fmt.Errorf("given up: slower than %d kB a second", slowest>>10)

// allowance is how long a transfer of so many bytes may take.
func allowance(size int64) time.Duration {
	return attempts*patience + time.Duration(size/slowest)*time.Second
}

// list calls each with the keys under the prefix and their sizes, or, for one level,
// with the names of the folders there, which end with a slash.
func (o *objects) list(ctx context.Context, prefix string, oneLevel bool, each func(key string, size int64)) error {
	in := &s3.ListObjectsV2Input{Bucket: &o.bucket, Prefix: aws.String(o.prefix + prefix)}
	if oneLevel {
		in.Delimiter = aws.String("/")
	}
	had := map[[sha256.Size]byte]bool{} // tokens, which may be long
	for n := 1; ; n++ {
		next, err := o.page(ctx, in, each)
		if err != nil || next == "" {
			return err
		}
		if token := sha256.Sum256([]byte(next)); had[token] {
			return fmt.Errorf("given up: after %d pages the store sends the listing back to one that it has told already", n)
		} else if n >= mostPages {
			return fmt.Errorf("given up: the listing has more than %d pages", mostPages)
		} else {
			had[token] = true
		}
		in.ContinuationToken = aws.String(next)
	}
}

// mostPages bounds a listing: a page has up to a thousand keys.
const mostPages = 100_000

// page lists what stands on a page, and returns the token of the next one; "" if it is the
// last.
func (o *objects) page(ctx context.Context, in *s3.ListObjectsV2Input, each func(key string, size int64)) (next string, err error) {
	ctx, cancel := context.WithTimeout(ctx, allowance(0))
	defer cancel()
	page, err := o.client.ListObjectsV2(ctx, in)
	if err != nil {
		return "", brief(err)
	}
	if aws.ToBool(page.IsTruncated) {
		if next = aws.ToString(page.NextContinuationToken); next == "" {
			return "", errors.New("the store says that a listing goes on, and not where")
		}
	}
	for _, folder := range page.CommonPrefixes {
		each(strings.TrimPrefix(aws.ToString(folder.Prefix), o.prefix), 0)
	}
	for _, object := range page.Contents {
		each(strings.TrimPrefix(aws.ToString(object.Key), o.prefix), aws.ToInt64(object.Size))
	}
	return next, nil
}

// remove deletes an object; one that isn't there is no error.
func (o *objects) remove(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, allowance(0))
	defer cancel()
	_, err := o.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &o.bucket, Key: aws.String(o.prefix + key)})
	return brief(err)
}

// brief keeps of the library's errors what a user can do something about: what
// the store said, or why it could not be reached.
func brief(err error) error {
	var noKey *types.NoSuchKey
	var api smithy.APIError
	var request *url.Error
	switch {
	case errors.As(err, &noKey):
		return os.ErrNotExist
	case errors.As(err, &api) && api.ErrorCode() == "NoSuchBucket":
		return errors.New("there is no such bucket")
	case errors.As(err, &api):
		return fmt.Errorf("the store says %s: %s", api.ErrorCode(), api.ErrorMessage())
	case errors.As(err, &request):
		return request.Err
	}
	return err
}
